import type { ReactNode } from 'react'
import { plain } from '@/lib/inert'

/** The linked name of an agent or workflow, with the beginning of its input below it. */
export function NameAndInput({ input, children }: { input: string | undefined; children: ReactNode }) {
  return (
    <span className="flex flex-col leading-tight">
      <span className="truncate">{children}</span>
      <span className="truncate text-[0.93rem]">
        <InputPreview text={input} />
      </span>
    </span>
  )
}

/** An error message, on two lines if it is long. */
export function ErrorMessage({ text }: { text: string | undefined }) {
  const shown = plain(text ?? '')
  return shown === '' ? null : (
    <span title={shown} className="line-clamp-2 text-[0.93rem] leading-tight whitespace-normal text-danger">
      {shown}
    </span>
  )
}

/** The beginning of an input on one line. */
export function InputPreview({ text }: { text: string | undefined }) {
  const shown = plain(text ?? '')
  return (
    <span className="text-muted" title={shown}>
      {shown}
    </span>
  )
}

/** The name of a model, or a dash for runs without one. */
export function ModelName({ name }: { name: string | null | undefined }) {
  if (!name) return <span className="text-faint">–</span>
  const shown = plain(name)
  return <span title={shown}>{shown}</span>
}
