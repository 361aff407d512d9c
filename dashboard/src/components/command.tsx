import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './ui'

const COPIED_MS = 1_500

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      // The clipboard may be blocked; the text can still be selected.
    }
  }
  return (
    <Button variant="ghost" size="icon" aria-label={copied ? 'Copied' : label} onClick={() => void copy()}>
      {copied ? <Check aria-hidden className="text-success" /> : <Copy aria-hidden />}
    </Button>
  )
}

/** A shell command with a copy button. */
export function Command({ text }: { text: string }) {
  return (
    <div className="flex max-w-full items-center gap-1 rounded-md border bg-sunken py-0.5 pr-0.5 pl-3 text-left">
      <code className="min-w-0 flex-1 py-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
        <span aria-hidden className="text-faint select-none">
          ${' '}
        </span>
        {text}
      </code>
      <CopyButton text={text} label="Copy the command" />
    </div>
  )
}
