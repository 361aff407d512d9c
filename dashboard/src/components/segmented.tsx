import { RadioGroup } from 'radix-ui'
import { cn } from '@/lib/cn'

interface Props<T extends string> {
  label: string
  options: readonly { value: T; label: string }[]
  value: T
  onChange: (value: T) => void
  className?: string
}

/** A choice of a few options that are all visible. */
export function Segmented<T extends string>({ label, options, value, onChange, className }: Props<T>) {
  return (
    <RadioGroup.Root
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(next) => onChange(next as T)}
      className={cn('inline-flex w-fit shrink-0 rounded-md border bg-sunken p-0.5', className)}
    >
      {options.map((option) => (
        <RadioGroup.Item
          key={option.value}
          value={option.value}
          className={cn(
            'h-7 rounded px-2.5 font-medium whitespace-nowrap text-muted hover:text-ink',
            'data-[state=checked]:bg-surface data-[state=checked]:text-ink data-[state=checked]:shadow-sm data-[state=checked]:ring-1 data-[state=checked]:ring-line-strong',
          )}
        >
          {option.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}
