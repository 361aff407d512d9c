import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { Menu, Monitor, Moon, Search, Sun, WifiOff, X } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { access } from '@/api/access'
import { connection, useLiveUpdates } from '@/api/live'
import { openInputsQuery } from '@/api/queries'
import { Loading } from '@/components/states'
import { Button } from '@/components/ui'
import { cn } from '@/lib/cn'
import { useObservable } from '@/lib/observable'
import { nextTheme, setTheme, theme } from '@/lib/theme'
import { ForgetKey } from './forget-key'
import { Login } from './login'
import { NAVIGATION } from './navigation'
import { Palette } from './palette'

/** The page, and the login dialog over it. The page stays mounted, so that typed text survives when a key expires. */
export function Shell() {
  useLiveUpdates()
  const { loginReason, signedOut } = useObservable(access)
  return (
    <>
      {signedOut ? null : <Frame covered={loginReason !== null} />}
      {loginReason === null ? null : <Login reason={loginReason} />}
    </>
  )
}

/** The frame around every page: navigation and connection state. */
function Frame({ covered }: { covered: boolean }) {
  const [open, setOpen] = useState(false)
  const [paletteOpen, setPaletteOpen] = useState(false)
  useEffect(() => onPaletteShortcut(() => setPaletteOpen(true)), [])
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  useEffect(() => setOpen(false), [pathname])
  return (
    <div inert={covered} className="flex h-dvh flex-col lg:flex-row">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-raised px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header className="flex items-center justify-between border-b bg-surface px-3 py-2 lg:hidden">
        <Brand />
        <Button
          variant="ghost"
          size="icon"
          aria-label={open ? 'Close the menu' : 'Open the menu'}
          aria-expanded={open}
          aria-controls="navigation"
          onClick={() => setOpen(!open)}
        >
          {open ? <X aria-hidden /> : <Menu aria-hidden />}
        </Button>
      </header>
      <aside
        id="navigation"
        className={cn(
          'shrink-0 flex-col border-r bg-surface lg:flex lg:w-52',
          open ? 'flex border-b' : 'hidden',
        )}
      >
        <div className="hidden px-4 py-3.5 lg:block">
          <Brand />
        </div>
        <div className="px-2 pt-2 lg:pt-0">
          <Button className="w-full justify-start font-normal text-muted" onClick={() => setPaletteOpen(true)}>
            <Search aria-hidden /> Go to… <kbd className="ml-auto text-[0.86rem]">Ctrl K</kbd>
          </Button>
        </div>
        <Navigation />
        <Footer />
      </aside>
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto outline-none">
        <Outage />
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      {paletteOpen ? <Palette onClose={() => setPaletteOpen(false)} /> : null}
    </div>
  )
}

/** Warns that the page may be out of date while the connection is lost. */
function Outage() {
  if (useObservable(connection) !== 'lost') return null
  return (
    <p role="alert" className="sticky top-0 z-20 flex items-center gap-2 border-b border-warning/50 bg-warning-soft px-4 py-2 font-medium text-warning lg:px-6">
      <WifiOff aria-hidden className="size-4 shrink-0" /> Connection to the server lost. Reconnecting… What you see may be out of date.
    </p>
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

function Navigation() {
  return (
    <nav aria-label="Main" className="flex flex-1 flex-col gap-4 overflow-y-auto px-2 py-2">
      {NAVIGATION.map((group) => (
        <ul key={group[0]?.to} className="flex flex-col gap-0.5">
          {group.map(({ to, label, icon: Icon, counted }) => (
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
                {counted ? <OpenInputs /> : null}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

/** The number of open input requests. */
function OpenInputs() {
  const { data } = useQuery(openInputsQuery())
  if (data === undefined || data.items.length === 0) return null
  return (
    <span className="ml-auto rounded-full bg-warning-soft px-2 text-[0.86rem] text-warning tabular-nums">
      {data.items.length}
      {data.next_cursor ? '+' : null}
      <span className="sr-only"> open</span>
    </span>
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

/** Calls `open` on Ctrl+K, or Cmd+K on a Mac. Returns a function that removes the listener. */
function onPaletteShortcut(open: () => void): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
    event.preventDefault()
    open()
  }
  window.addEventListener('keydown', listen)
  return () => window.removeEventListener('keydown', listen)
}
