import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { isGone } from '@/api'
import { Problems, Verdict } from '@/components/editing'
import { Page } from '@/components/page'
import { Answer } from '@/components/states'
import { Card, CardBody } from '@/components/ui'
import { isMap } from '@/lib/lossless'
import { type Workflow, workflowQuery } from './api'
import { textOf } from './document'
import { WorkflowEditor } from './editor'
import { newWorkflowText } from './model'

const route = getRouteApi('/workflows/$name')

export function NewWorkflowPage() {
  const [initial] = useState(newWorkflowText)
  return <WorkflowEditor workflow={null} gone={false} initial={initial} />
}

export function WorkflowPage() {
  const { name } = route.useParams()
  const query = useQuery(workflowQuery(name))
  return query.data === undefined ? (
    <Page title={name}>
      <Answer query={query}>{() => null}</Answer>
    </Page>
  ) : (
    <Loaded key={name} workflow={query.data} gone={isGone(query.error)} />
  )
}

function Loaded({ workflow, gone }: { workflow: Workflow; gone: boolean }) {
  const read = isMap(workflow.document) ? workflow.document : null
  const [initial, setInitial] = useState(() => (read === null ? null : textOf(read)))
  // Once the document could be read, the editor stays open even if the file breaks later, to keep changes.
  if (initial === null && read !== null) setInitial(textOf(read))
  if (initial !== null) return <WorkflowEditor workflow={workflow} gone={gone} initial={initial} />
  const { summary, file } = workflow.view
  return (
    <Page title={summary.name} heading={<>{summary.name} <Verdict of={summary} /></>} lead={file}>
      <Card>
        <CardBody className="flex flex-col gap-3">
          <p>This workflow's file cannot be parsed. Fix the file; this page updates automatically.</p>
          <Problems problems={summary.problems} />
        </CardBody>
      </Card>
    </Page>
  )
}
