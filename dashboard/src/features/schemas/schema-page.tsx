import { Page } from '@/components/page'

export function SchemaPage() {
  return <Page title="Schema">{null}</Page>
}
