import { Page } from '@/components/page'

export function RunsPage() {
  return <Page title="Runs">{null}</Page>
}
