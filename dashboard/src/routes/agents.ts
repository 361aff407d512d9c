import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'
import { type RawSearch, optional, textOf } from './search'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents',
  validateSearch: (search: RawSearch) => optional({ tags: textOf(search, 'tags'), find: textOf(search, 'find') }),
  component: lazyRouteComponent(() => import('@/features/agents/agents-page'), 'AgentsPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/new',
  validateSearch: (search: RawSearch) => optional({ tab: textOf(search, 'tab'), as: textOf(search, 'as') }),
  component: lazyRouteComponent(() => import('@/features/agents/agent-page'), 'NewAgentPage'),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$name',
  validateSearch: (search: RawSearch) => optional({
    tab: textOf(search, 'tab'),
    /** Whether schemas are edited as fields or as code. */
    as: textOf(search, 'as'),
    /** The trial run to show. */
    run: textOf(search, 'run'),
  }),
  component: lazyRouteComponent(() => import('@/features/agents/agent-page'), 'AgentPage'),
})

export const agentRoutes = [list, create, one] as const
