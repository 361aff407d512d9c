import { useEffect, useState } from 'react'
import { useObservable } from './observable'
import { theme } from './theme'

/** Resolves a colour token to a CSS colour that a canvas accepts, in the current theme. */
export function resolvedColour(token: string, near: Element): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--color-${token})`
  near.append(probe)
  const colour = getComputedStyle(probe).color
  probe.remove()
  return colour
}

/** A string that changes whenever the user or the system changes the theme. */
export function useThemeVersion(): string {
  const chosen = useObservable(theme)
  const [dark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)')
    const listener = () => setDark(media.matches)
    media.addEventListener('change', listener)
    return () => media.removeEventListener('change', listener)
  }, [])
  return `${chosen} ${dark}`
}
