import { Page } from '@/components/page'

export function RunnersPage() {
  return <Page title="Runners">{null}</Page>
}
