import { Page } from '@/components/page'

export function SchemasPage() {
  return <Page title="Schemas">{null}</Page>
}
