import { Page } from '@/components/page'

export function KeysPage() {
  return <Page title="Keys">{null}</Page>
}
