import { cva } from 'class-variance-authority'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { type Tone, appearanceOf } from '@/lib/status'

const style = cva(
  'inline-flex items-center gap-1 rounded-full px-2 py-px text-[0.86rem] font-medium whitespace-nowrap [&_svg]:size-3.5',
  {
    variants: {
      tone: {
        neutral: 'bg-sunken text-muted ring-1 ring-line ring-inset',
        info: 'bg-info-soft text-info',
        success: 'bg-success-soft text-success',
        warning: 'bg-warning-soft text-warning',
        danger: 'bg-danger-soft text-danger',
      } satisfies Record<Tone, string>,
    },
  },
)

interface BadgeProps {
  tone?: Tone
  className?: string
  title?: string
  children: ReactNode
}

export function Badge({ tone = 'neutral', className, title, children }: BadgeProps) {
  return (
    <span className={cn(style({ tone }), className)} title={title}>
      {children}
    </span>
  )
}

/** A badge for the status of a run, session, node or attempt; see `lib/status.ts`. */
export function StatusBadge({ status, className }: { status: string; className?: string }) {
  const { label, icon: Icon, tone, busy } = appearanceOf(status)
  return (
    <Badge tone={tone} className={className}>
      <Icon aria-hidden className={busy ? 'animate-spin' : undefined} />
      {label}
    </Badge>
  )
}
