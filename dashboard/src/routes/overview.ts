import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'
import { type RawSearch, oneOf, optional, textOf } from './search'

const PERIODS = ['24h', '7d', '30d', 'all'] as const

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: (search: RawSearch) => optional({ since: oneOf(search, 'since', PERIODS), agent: textOf(search, 'agent') }),
  component: lazyRouteComponent(() => import('@/features/overview/overview-page'), 'OverviewPage'),
})
