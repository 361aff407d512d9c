import { Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense } from 'react'
import { Loading } from '@/components/states'
import { Shell } from './shell'

/** Pages for people without an API key. */
const ALONE: readonly string[] = ['/answer']

/** Every page in its frame, behind the login; but for those that stand alone. */
export function Root() {
  const alone = useRouterState({ select: ({ matches }) => matches.some(({ routeId }) => ALONE.includes(routeId)) })
  if (!alone) return <Shell />
  return (
    <Suspense fallback={<Loading />}>
      <Outlet />
    </Suspense>
  )
}
