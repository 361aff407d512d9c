import { Page } from '@/components/page'

export function SessionsPage() {
  return <Page title="Sessions">{null}</Page>
}
