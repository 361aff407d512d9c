import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows',
  component: lazyRouteComponent(() => import('@/features/workflows/workflows-page'), 'WorkflowsPage'),
})

export const workflowRoutes = [list] as const
