import { getRouteApi } from '@tanstack/react-router'
import { Page } from '@/components/page'

const route = getRouteApi('/agents/$name')

export function NewAgentPage() {
  return <Page title="New agent">{null}</Page>
}

export function AgentPage() {
  const { name } = route.useParams()
  return <Page title={name}>{null}</Page>
}
