import { plain } from '@/lib/inert'

/** The beginning of an input, in one line. */
export function InputPreview({ text }: { text: string | undefined }) {
  const shown = plain(text ?? '')
  return (
    <span className="text-muted" title={shown}>
      {shown}
    </span>
  )
}

/** A model's name; commands have none. */
export function ModelName({ name }: { name: string | null | undefined }) {
  if (!name) return <span className="text-faint">–</span>
  const shown = plain(name)
  return <span title={shown}>{shown}</span>
}
