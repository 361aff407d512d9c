import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'
import { type RawSearch, optional, textOf } from './search'

export const newRunRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/new',
  validateSearch: (search: RawSearch) => optional({
    agent: textOf(search, 'agent'),
    /** The run whose input the form begins with. */
    run: textOf(search, 'run'),
    /** Whether the form begins with the example of the schema. */
    sample: search.sample === true ? true : undefined,
  }),
  component: lazyRouteComponent(() => import('@/features/run/new-run-page'), 'NewRunPage'),
})
