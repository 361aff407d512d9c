import { Page } from '@/components/page'
import { Empty } from '@/components/states'
import { Card } from '@/components/ui'

export function WorkflowsPage() {
  return (
    <Page title="Workflows">
      <Card>
        <Empty title="Workflows are not here yet" />
      </Card>
    </Page>
  )
}
