import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { SESSION_STATUSES } from '@/lib/status'
import { rootRoute } from './root'
import { type RawSearch, indexOf, oneOf, optional, sinceIn, textOf, timeOf } from './search'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions',
  validateSearch: (search: RawSearch) => optional({
    status: oneOf(search, 'status', SESSION_STATUSES),
    agent: textOf(search, 'agent'),
    parent: textOf(search, 'parent'),
    since: sinceIn(search),
    until: timeOf(search, 'until'),
    find: textOf(search, 'find'),
  }),
  component: lazyRouteComponent(() => import('@/features/sessions/sessions-page'), 'SessionsPage'),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions/$sessionId',
  validateSearch: (search: RawSearch) => optional({
    /** The selected run; the newest by default. */
    run: textOf(search, 'run'),
    /** The selected attempt, as `delivery-number`. */
    attempt: textOf(search, 'attempt'),
    /** The highlighted error, by its index in the attempt's list. */
    error: indexOf(search, 'error'),
    /** The workflow run from which the user followed a link. */
    workflow: textOf(search, 'workflow'),
    view: oneOf(search, 'view', ['timeline', 'steps', 'attempts', 'result', 'input', 'family'] as const),
  }),
  component: lazyRouteComponent(() => import('@/features/sessions/session-page'), 'SessionPage'),
})

export const sessionRoutes = [list, one] as const
