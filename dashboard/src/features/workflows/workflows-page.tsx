import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Api } from '@/api'
import { Page } from '@/components/page'
import { OnlyWho } from '@/components/read-only'
import { Answer, Empty } from '@/components/states'
import { Card, Input, buttonStyle } from '@/components/ui'
import { lastRunsQuery, workflowsQuery } from './api'
import { WorkflowRow } from './workflow-row'

export function WorkflowsPage() {
  const [searchText, setSearchText] = useState('')
  const query = useQuery(workflowsQuery())
  return (
    <Page
      title="Workflows"
      lead="Graphs of agents. Outputs flow downstream; contradictions between agents are shown before their outputs are combined."
      actions={
        <>
          <Input
            type="search"
            aria-label="Find workflows"
            placeholder="Find by name or description"
            className="w-64"
            value={searchText}
            onChange={(event) => setSearchText(event.target.value)}
          />
          <OnlyWho may="administers">
            <Link to="/workflows/new" className={buttonStyle({ variant: 'primary' })}>
              <Plus aria-hidden /> New workflow
            </Link>
          </OnlyWho>
        </>
      }
    >
      <Card>
        <Answer query={query}>{({ items }) => <List workflows={items.filter((each) => matches(each, searchText))} filtered={searchText !== ''} />}</Answer>
      </Card>
    </Page>
  )
}

function matches(workflow: Api.WorkflowSummary, searchText: string): boolean {
  const text = `${workflow.name} ${workflow.description}`.toLowerCase()
  return searchText.toLowerCase().split(/\s+/).every((word) => text.includes(word))
}

function List({ workflows, filtered }: { workflows: Api.WorkflowSummary[]; filtered: boolean }) {
  const lastRuns = useQuery(lastRunsQuery())
  if (workflows.length === 0 && filtered) return <Empty title="No workflows match" />
  if (workflows.length === 0) {
    return (
      <Empty
        title="No workflows yet"
        command="accord init --template code-review"
        action={
          <OnlyWho may="administers">
            <Link to="/workflows/new" className={buttonStyle({ variant: 'primary' })}>
              Create a workflow
            </Link>
          </OnlyWho>
        }
      >
        Add an example: three specialists and a writer review a change, with recorded answers:
      </Empty>
    )
  }
  return (
    <ul className="divide-y">
      {workflows.map((workflow) => (
        <WorkflowRow key={workflow.name} workflow={workflow} lastRun={lastRuns.data?.get(workflow.name)} />
      ))}
    </ul>
  )
}
