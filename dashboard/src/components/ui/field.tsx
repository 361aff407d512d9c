import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from '@/lib/cn'

const control =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-ink placeholder:text-faint ' +
  'disabled:opacity-60 aria-invalid:border-danger'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={cn(control, 'h-8', className)} autoComplete="off" spellCheck={false} {...rest} />
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={cn(control, 'min-h-20 py-1.5', className)} {...rest} />
}

/** The native control, because it works with keyboards, screen readers and touch. */
export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select className={cn(control, 'h-8 pr-7', className)} {...rest} />
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: ReactNode
}

export function Checkbox({ label, className, ...rest }: CheckboxProps) {
  return (
    <label className={cn('inline-flex items-center gap-2', className)}>
      <input type="checkbox" className="size-4 accent-accent" {...rest} />
      {label}
    </label>
  )
}

interface FieldProps {
  label: ReactNode
  /** Help text below the control. */
  hint?: ReactNode
  /** Shown instead of the hint. */
  error?: ReactNode
  className?: string
  /** Renders the control with the ids that connect it to its label, hint and error. */
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** A labelled control: `<Field label="Name">{(ids) => <Input {...ids} />}</Field>`. */
export function Field({ label, hint, error, className, children }: FieldProps) {
  const id = useId()
  const help = error ?? hint
  const described = help ? { 'aria-describedby': `${id}-help` } : {}
  const invalid = error ? { 'aria-invalid': true as const } : {}
  return (
    <div className={cn('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, ...described, ...invalid })}
      {help ? (
        <p id={`${id}-help`} className={cn('[overflow-wrap:anywhere]', error ? 'text-danger' : 'text-muted')}>
          {help}
        </p>
      ) : null}
    </div>
  )
}
