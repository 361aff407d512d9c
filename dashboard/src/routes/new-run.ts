import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'
import { type RawSearch, optional, textOf } from './search'

export const newRunRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/new',
  validateSearch: (search: RawSearch) => optional({ agent: textOf(search, 'agent'), run: textOf(search, 'run') }),
  component: lazyRouteComponent(() => import('@/features/run/new-run-page'), 'NewRunPage'),
})
