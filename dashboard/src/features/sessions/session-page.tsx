import { Page } from '@/components/page'

export function SessionPage() {
  return <Page title="Session">{null}</Page>
}
