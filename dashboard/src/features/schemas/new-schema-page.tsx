import { Page } from '@/components/page'

export function NewSchemaPage() {
  return <Page title="New schema">{null}</Page>
}
