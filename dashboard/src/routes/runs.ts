import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { RUN_STATUSES } from '@/lib/status'
import { rootRoute } from './root'
import { type RawSearch, oneOf, optional, sinceIn, textOf, timeOf } from './search'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: (search: RawSearch) => optional({
    status: oneOf(search, 'status', RUN_STATUSES),
    agent: textOf(search, 'agent'),
    find: textOf(search, 'find'),
    since: sinceIn(search),
    until: timeOf(search, 'until'),
  }),
  component: lazyRouteComponent(() => import('@/features/runs/runs-page'), 'RunsPage'),
})

/** Redirects to the run's session page, for links that only have the run id. */
const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('@/features/runs/run-page'), 'RunPage'),
})

export const runRoutes = [list, one] as const
