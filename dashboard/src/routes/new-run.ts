import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'
import { type RawSearch, optional, textOf } from './search'

export const newRunRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/new',
  validateSearch: (search: RawSearch) => optional({
    agent: textOf(search, 'agent'),
    /** The run whose input fills the form. */
    run: textOf(search, 'run'),
    /** Whether the schema's example fills the form. */
    sample: search.sample === true ? true : undefined,
  }),
  component: lazyRouteComponent(() => import('@/features/run/new-run-page'), 'NewRunPage'),
})
