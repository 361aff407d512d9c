import { useQuery } from '@tanstack/react-query'
import { ChevronRight, GitFork } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Api } from '@/api'
import { InertText } from '@/components/inert-text'
import { OnlyWho } from '@/components/read-only'
import { Answer, Empty } from '@/components/states'
import { Badge, Button, Card, StatusBadge } from '@/components/ui'
import { cn } from '@/lib/cn'
import { plain } from '@/lib/inert'
import { isUnfinished } from '@/lib/status'
import { stepsQuery } from './api'
import { ForkDialog } from './fork-dialog'
import { type ShownStep, shownSteps } from './step-model'

/** The steps of a run; it can be forked from each of them. */
export function StepsView({ run, text }: { run: Api.RunView; text: string }) {
  const [from, setFrom] = useState<number | null>(null)
  return (
    <>
      <Answer query={useQuery(stepsQuery(run.run_id, isUnfinished(run.status)))}>
        {({ items }) => <Steps steps={items} onFork={setFrom} />}
      </Answer>
      <ForkDialog run={run} text={text} from={from} onClose={() => setFrom(null)} />
    </>
  )
}

function Steps({ steps, onFork }: { steps: Api.Step[]; onFork: (step: number) => void }) {
  const shown = useMemo(() => shownSteps(steps), [steps])
  if (shown.length === 0) return <Empty title="No steps yet">The run has not done anything yet.</Empty>
  return (
    <Card>
      <ol aria-label="Steps" className="divide-y">
        {shown.map((step) => (
          <li key={step.number} className="flex items-start gap-2 px-4 py-2">
            <Step step={step} />
            <OnlyWho may="calls">
              <Button size="small" variant="ghost" aria-label={`Run again from here: step ${step.number}`} onClick={() => onFork(step.number)}>
                <GitFork aria-hidden /> <span className="max-md:hidden">Run again from here</span>
              </Button>
            </OnlyWho>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Step({ step }: { step: ShownStep }) {
  const [open, setOpen] = useState(false)
  const head = (
    <>
      <span className="w-8 shrink-0 text-right text-faint tabular-nums">{step.number}</span>
      <Badge tone={step.tone}>{step.title}</Badge>
      {step.outcome ? <StatusBadge status={step.outcome} /> : null}
      <span className="min-w-0 flex-1 truncate text-left text-muted">{plain(step.summary)}</span>
      {step.usage ? <span className="shrink-0 text-[0.93rem] text-faint tabular-nums max-lg:hidden">{step.usage}</span> : null}
    </>
  )
  if (step.parts.length === 0) return <div className="flex min-h-7 min-w-0 flex-1 items-center gap-2 pl-6">{head}</div>
  return (
    <div className="min-w-0 flex-1">
      <button
        type="button"
        aria-expanded={open}
        className="flex min-h-7 w-full items-center gap-2 rounded-md hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <ChevronRight aria-hidden className={cn('size-4 shrink-0 text-muted transition-transform', open && 'rotate-90')} />
        {head}
      </button>
      {open ? (
        <dl className="flex flex-col gap-2 py-2 pl-16">
          {step.parts.map(({ label, text }, index) => (
            <div key={index}>
              <dt className="text-[0.86rem] text-muted">{plain(label)}</dt>
              <dd>
                <InertText text={text} className="max-h-[50vh] overflow-auto" />
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
    </div>
  )
}
