import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { Menu, Monitor, Moon, Sun, X } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { access } from '@/api/access'
import { connection, useLiveUpdates } from '@/api/live'
import { Loading } from '@/components/states'
import { Button } from '@/components/ui'
import { cn } from '@/lib/cn'
import { useObservable } from '@/lib/observable'
import { nextTheme, setTheme, theme } from '@/lib/theme'
import { ForgetKey } from './forget-key'
import { Login } from './login'
import { PLACES } from './navigation'

/** The way in, over the page: what somebody typed there outlives the key that it was typed with. */
export function Shell() {
  useLiveUpdates()
  const { asked, left } = useObservable(access)
  return (
    <>
      {left ? null : <Frame covered={asked !== null} />}
      {asked === null ? null : <Login reason={asked} />}
    </>
  )
}

/** The frame around every page: where one can go, and whether it is live. */
function Frame({ covered }: { covered: boolean }) {
  const [open, setOpen] = useState(false)
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  useEffect(() => setOpen(false), [pathname])
  return (
    <div inert={covered} className="flex h-dvh flex-col lg:flex-row">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-raised px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      <div className="flex items-center justify-between border-b bg-surface px-3 py-2 lg:hidden">
        <Brand />
        <Button
          variant="ghost"
          size="icon"
          aria-label={open ? 'Close the menu' : 'Open the menu'}
          aria-expanded={open}
          aria-controls="places"
          onClick={() => setOpen(!open)}
        >
          {open ? <X aria-hidden /> : <Menu aria-hidden />}
        </Button>
      </div>
      <aside
        id="places"
        className={cn(
          'shrink-0 flex-col border-r bg-surface lg:flex lg:w-52',
          open ? 'flex border-b' : 'hidden',
        )}
      >
        <div className="hidden px-4 py-3.5 lg:block">
          <Brand />
        </div>
        <Places />
        <Footer />
      </aside>
      <main id="main" tabIndex={-1} className="min-h-0 min-w-0 flex-1 overflow-y-auto outline-none">
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  )
}

function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2 text-[1.07rem] font-semibold tracking-tight">
      <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" className="size-5" />
      Accord
    </Link>
  )
}

function Places() {
  return (
    <nav aria-label="Places" className="flex flex-1 flex-col gap-4 overflow-y-auto px-2 py-2">
      {PLACES.map((group) => (
        <ul key={group[0]?.to} className="flex flex-col gap-0.5">
          {group.map(({ to, label, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                className="flex items-center gap-2.5 rounded-md px-2 py-1.5 font-medium"
                activeProps={{ className: 'bg-accent-soft text-accent' }}
                inactiveProps={{ className: 'text-muted hover:bg-hover hover:text-ink' }}
              >
                <Icon aria-hidden className="size-4 shrink-0" />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon }

function Footer() {
  const current = useObservable(theme)
  const { key } = useObservable(access)
  const Icon = THEME_ICONS[current]
  return (
    <div className="flex items-center justify-between gap-1 border-t py-2 pr-1 pl-3">
      <Live />
      <div className="flex">
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Theme: ${current}. Change to ${nextTheme(current)}`}
          title={`Theme: ${current}`}
          onClick={() => setTheme(nextTheme(current))}
        >
          <Icon aria-hidden />
        </Button>
        {key === null ? null : <ForgetKey />}
      </div>
    </div>
  )
}

const CONNECTIONS = {
  connecting: { label: 'Connecting', dot: 'bg-faint' },
  live: { label: 'Live', dot: 'bg-success' },
  lost: { label: 'Reconnecting', dot: 'bg-warning animate-pulse' },
}

function Live() {
  const { label, dot } = CONNECTIONS[useObservable(connection)]
  return (
    <span role="status" className="flex items-center gap-1.5 text-muted">
      <span aria-hidden className={cn('size-2 rounded-full', dot)} />
      {label}
    </span>
  )
}
