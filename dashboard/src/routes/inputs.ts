import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { INPUT_STATUSES } from '@/lib/status'
import { rootRoute } from './root'
import { type RawSearch, oneOf, optional } from './search'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inputs',
  /** Open requests by default. */
  validateSearch: (search: RawSearch) => optional({ status: oneOf(search, 'status', [...INPUT_STATUSES, 'all'] as const) }),
  component: lazyRouteComponent(() => import('@/features/inputs/inputs-page'), 'InputsPage'),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inputs/$inputId',
  component: lazyRouteComponent(() => import('@/features/inputs/input-page'), 'InputPage'),
})

/** The form of a one-time link, without navigation and login. The token is in the fragment of the URL. */
const answer = createRoute({
  getParentRoute: () => rootRoute,
  path: '/answer',
  component: lazyRouteComponent(() => import('@/features/inputs/answer-page'), 'AnswerPage'),
})

export const inputRoutes = [list, one, answer] as const
