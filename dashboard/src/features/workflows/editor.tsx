import { ReactFlowProvider } from '@xyflow/react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { CodeEditor } from '@/components/code'
import { useRights } from '@/api/role'
import { Leaving, OnlyReads, Verdict } from '@/components/editing'
import { Page } from '@/components/page'
import { ReadOnlyProvider } from '@/components/read-only'
import { Segmented } from '@/components/segmented'
import { Badge, Card, CardBody, CardHeader } from '@/components/ui'
import { UnreadProvider } from '@/components/unread'
import type { Workflow } from './api'
import { Board } from './board'
import { DraftProvider, useDraft, useNewDraft } from './draft'
import { EditorActions } from './editor-actions'
import { Findings } from './findings'
import { ConflictDialog, WorkflowNotices } from './notices'
import { RunDialog } from './run-dialog'
import { useLook } from './selection'
import { useSaving } from './use-saving'

interface Props {
  /** As it is stored now, or was last; null for a new one. */
  workflow: Workflow | null
  /** Whether somebody deleted it meanwhile. */
  gone: boolean
  initial: string
}

const VIEWS = [
  { value: 'graph', label: 'Graph' },
  { value: 'yaml', label: 'YAML' },
] as const

/** A workflow, drawn or written: both are one text, which stays in the page until it is saved. */
export function WorkflowEditor({ workflow, gone, initial }: Props) {
  const [base, setBase] = useState(workflow)
  const draft = useNewDraft(initial, base?.document ?? null)
  const saving = useSaving({ draft, base, setBase, stored: workflow, gone })
  const look = useLook()
  const { administers, calls } = useRights()
  const changed = draft.dirty && (base !== null || draft.text !== initial || draft.unread.problems.length > 0)
  const readable = draft.unread.problems.length === 0
  const name = base?.view.summary.name ?? 'New workflow'
  const broken = draft.mistake !== null || draft.problems.some((problem) => problem.severity === 'error')
  return (
    <DraftProvider value={draft}>
      <Page
        fill
        title={name}
        heading={
          <>
            {name}
            {base === null ? <Badge>Draft</Badge> : <Verdict of={{ valid: !broken, problems: draft.problems }} />}
            {changed ? <Badge tone="warning">Unsaved changes</Badge> : null}
          </>
        }
        lead={<Home workflow={base} />}
        actions={
          <>
            {/* What cannot be read yet stays in sight: the other view would drop it. */}
            <Segmented label="Shown as" options={VIEWS} value={look.view} onChange={(next) => readable && look.show(next)} />
            <EditorActions base={base} changed={changed} saving={saving} onRun={() => look.go({ starting: true })} />
          </>
        }
      >
        <OnlyReads what="workflows" changed={changed} />
        <WorkflowNotices base={base} saving={saving} />
        {/* A new one goes on in a page of its own: what was drawn while it is made would stay behind. */}
        <div inert={base === null && saving.save.isPending} className="flex min-h-0 flex-1 flex-col">
          <ReadOnlyProvider value={!administers}>
            {look.view === 'graph' ? (
              <UnreadProvider value={draft.unread.report}>
                <ReactFlowProvider>
                  <Board own={base?.view.summary.name ?? null} />
                </ReactFlowProvider>
              </UnreadProvider>
            ) : (
              <Yaml />
            )}
          </ReadOnlyProvider>
        </div>
      </Page>
      <ConflictDialog base={base} saving={saving} />
      {look.starting && calls && base !== null ? (
        <RunDialog workflow={base} changed={changed} again={look.run} onClose={() => look.go({ starting: undefined, run: undefined })} />
      ) : null}
      <Leaving changed={changed} />
    </DraftProvider>
  )
}

/** Where it is saved. */
function Home({ workflow }: { workflow: Workflow | null }) {
  if (workflow === null) return <>Saved in the database.</>
  const { file, summary } = workflow.view
  return (
    <>
      {file ? (
        <>
          Saved in <code className="break-all">{file}</code>. Saving here drops its comments.
        </>
      ) : (
        'Saved in the database.'
      )}{' '}
      <Link to="/workflow-runs" search={{ workflow: summary.name }} className="text-accent underline">
        Runs
      </Link>
    </>
  )
}

/** A line, or its end, that is for people. */
const COMMENT = /(^|\s)#/m

/** The text itself. What is typed here is drawn there. */
function Yaml() {
  const draft = useDraft()
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
      <div className="h-[60dvh] min-w-0 lg:h-auto lg:flex-1">
        <CodeEditor
          value={draft.text}
          onChange={(text) => draft.edit(() => text, 'yaml')}
          language="yaml"
          label="The workflow as YAML"
          findings={draft.findings}
        />
      </div>
      <Card aria-labelledby="findings" className="shrink-0 lg:w-80 lg:overflow-y-auto">
        <CardHeader title="Findings" id="findings" />
        <CardBody className="flex flex-col gap-3">
          <Findings problems={draft.problems} />
          {COMMENT.test(draft.text) ? <p className="text-muted">Comments stay while you edit, but are not saved with the workflow.</p> : null}
        </CardBody>
      </Card>
    </div>
  )
}
