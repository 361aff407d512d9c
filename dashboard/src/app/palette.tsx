/** Ctrl+K: jump to a page, an agent, a workflow, a session or a run. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { agentsQuery, recentQuery, workflowNamesQuery } from '@/api/queries'
import { Dialog, Input } from '@/components/ui'
import { cn } from '@/lib/cn'
import { plain } from '@/lib/inert'
import { type Target, findTargets } from './palette-model'

export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const agents = useQuery(agentsQuery()).data?.items ?? []
  const workflows = useQuery(workflowNamesQuery()).data?.items ?? []
  const recent = useQuery(recentQuery()).data
  const targets = findTargets({ agents, workflows, sessions: recent?.sessions ?? [], runs: recent?.runs ?? [], workflowRuns: recent?.workflowRuns ?? [] }, typed)
  const chosen = Math.min(at, Math.max(0, targets.length - 1))
  const optionId = (index: number) => `${list}-${index}`
  useEffect(() => {
    document.getElementById(`${list}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [list, chosen])
  const go = (target: Target | undefined) => {
    if (target === undefined) return
    onClose()
    void navigate(target.link as never)
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(targets[chosen])
    else if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, targets.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
    else return
    event.preventDefault()
  }
  return (
    <Dialog open onClose={onClose} title="Go to" className="mt-[12vh] w-[min(40rem,calc(100vw-2rem))]">
      <div className="flex flex-col gap-2">
        <Input
          role="combobox"
          aria-label="Go to"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={targets.length === 0 ? undefined : optionId(chosen)}
          placeholder="Agent, workflow, session, run, page or id"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setAt(0)
          }}
          onKeyDown={handleKey}
        />
        <ul id={list} role="listbox" aria-label="Results" className="max-h-[50vh] overflow-y-auto">
          {targets.map((target, index) => (
            <li
              key={`${target.kind} ${target.label} ${target.detail}`}
              id={optionId(index)}
              role="option"
              aria-selected={index === chosen}
              onPointerMove={() => setAt(index)}
              onClick={() => go(target)}
              className={cn('flex cursor-pointer items-baseline gap-3 rounded-md px-2 py-1.5', index === chosen && 'bg-accent-soft')}
            >
              <span className="shrink-0 font-medium">{plain(target.label)}</span>
              <span className="min-w-0 flex-1 truncate text-muted">{plain(target.detail)}</span>
              <span className="shrink-0 text-[0.86rem] text-muted">{target.kind}</span>
            </li>
          ))}
        </ul>
        {targets.length === 0 ? (
          <p role="status" className="px-2 py-3 text-muted">
            No results. Only the newest sessions and runs are searched; a complete id always works.
          </p>
        ) : null}
      </div>
    </Dialog>
  )
}
