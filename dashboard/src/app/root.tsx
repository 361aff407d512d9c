import { Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense } from 'react'
import { Loading } from '@/components/states'
import { Shell } from './shell'

/** Pages for people without an API key. */
const WITHOUT_SHELL: readonly string[] = ['/answer']

/** Pages are shown in the shell and require a login, except those in `WITHOUT_SHELL`. */
export function Root() {
  const withoutShell = useRouterState({ select: ({ matches }) => matches.some(({ routeId }) => WITHOUT_SHELL.includes(routeId)) })
  if (!withoutShell) return <Shell />
  return (
    <Suspense fallback={<Loading />}>
      <Outlet />
    </Suspense>
  )
}
