import { Page } from '@/components/page'

export function WorkflowsPage() {
  return <Page title="Workflows">{null}</Page>
}
