import { Link } from '@tanstack/react-router'
import { UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Api } from '@/api'
import { plain } from '@/lib/inert'
import { PURPOSES, summaryOf } from '@/lib/inputs'

interface Props {
  inputs: readonly Api.InputRequest[]
  /** What is waiting, and until when. */
  children: ReactNode
}

/** A notice that input is required, with a link to each open request. */
export function OpenInputs({ inputs, children }: Props) {
  return (
    <div role="status" aria-label="Input required" className="flex items-start gap-3 rounded-md bg-warning-soft px-3 py-2 text-warning">
      <UserRound aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0">
        <p>{children}</p>
        <ul>
          {inputs.map((input) => (
            <li key={input.id} className="truncate">
              <Link to="/inputs/$inputId" params={{ inputId: input.id }} className="font-medium underline">
                {PURPOSES[input.purpose]}: {plain(summaryOf(input))}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
