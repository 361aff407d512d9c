import { Page } from '@/components/page'

export function RunPage() {
  return <Page title="Run">{null}</Page>
}
