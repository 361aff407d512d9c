import { useState } from 'react'
import type { Api } from '@/api'
import { Empty } from '@/components/states'
import { Button, Card } from '@/components/ui'
import { plain } from '@/lib/inert'
import { isUnfinished } from '@/lib/status'
import { type Compared, type Group, type Kind, groupsOf } from './comparison'
import { ComparisonCard } from './comparison-card'
import { type Reading, isCompared } from './model'
import { NodeLink } from './node-link'

/** The number of entries shown at first and added with each "Show more". */
const PAGE_SIZE = 30

const TITLES: Record<Kind, string> = {
  contradiction: 'Contradictions',
  near_duplicate: 'Near-duplicates',
  agreement: 'Agreements',
}

/** Compares the outputs of upstream agents side by side. It does not decide who is right; that is left to the downstream node. */
export function ComparisonView({ reading }: { reading: Reading }) {
  const { run } = reading
  const groups = groupsOf(reading)
  if (groups.length === 0) return <Nothing run={run} />
  return (
    <div className="flex flex-col gap-6">
      {groups.map((group) => (
        <ComparisonGroup key={group.node} runId={run.workflow_run_id} group={group} />
      ))}
    </div>
  )
}

function ComparisonGroup({ runId, group }: { runId: string; group: Group }) {
  return (
    <section aria-label={`Compared before ${plain(group.node)}`} className="flex flex-col gap-4">
      {(Object.keys(TITLES) as Kind[]).map((kind) => (
        <Entries
          key={kind}
          runId={runId}
          title={TITLES[kind]}
          node={group.node}
          entries={group.entries.filter((entry) => entry.kind === kind)}
        />
      ))}
    </section>
  )
}

interface EntriesProps {
  runId: string
  title: string
  node: string
  entries: Compared[]
}

function Entries({ runId, title, node, entries }: EntriesProps) {
  const [limit, setLimit] = useState(PAGE_SIZE)
  if (entries.length === 0) return null
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="font-semibold">
          {title} <span className="font-normal text-muted">{entries.length}</span>
        </h2>
        <p className="text-muted">
          found before <NodeLink runId={runId} node={node} /> ran; passed to it as data
        </p>
      </div>
      {entries.slice(0, limit).map((entry, index) => (
        <ComparisonCard key={index} runId={runId} entry={entry} />
      ))}
      {entries.length > limit ? (
        <Button className="self-start" onClick={() => setLimit(limit + PAGE_SIZE)}>
          Show more ({entries.length - limit} hidden)
        </Button>
      ) : null}
    </div>
  )
}

function Nothing({ run }: { run: Api.WorkflowRunView }) {
  if (isUnfinished(run.status)) {
    return (
      <Card>
        <Empty title="Nothing compared yet">Outputs are compared before a node runs that has two or more upstream agents.</Empty>
      </Card>
    )
  }
  return (
    <Card>
      {isCompared(run) ? (
        <Empty title="No contradictions">No conflicting findings between upstream agents.</Empty>
      ) : (
        <Empty title="Not compared">
          {run.status === 'completed'
            ? 'No node has two or more upstream agents.'
            : 'The run ended before the outputs of two or more agents could be compared.'}
        </Empty>
      )}
    </Card>
  )
}
