import { plain } from '@/lib/inert'

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
