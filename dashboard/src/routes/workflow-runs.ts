import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { WORKFLOW_STATUSES } from '@/lib/status'
import { rootRoute } from './root'
import { type RawSearch, oneOf, optional, sinceIn, textOf, timeOf } from './search'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflow-runs',
  validateSearch: (search: RawSearch) => optional({
    status: oneOf(search, 'status', WORKFLOW_STATUSES),
    workflow: textOf(search, 'workflow'),
    since: sinceIn(search),
    until: timeOf(search, 'until'),
    find: textOf(search, 'find'),
  }),
  component: lazyRouteComponent(() => import('@/features/workflow-runs/workflow-runs-page'), 'WorkflowRunsPage'),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflow-runs/$workflowRunId',
  validateSearch: (search: RawSearch) => optional({
    /** The selected node. */
    node: textOf(search, 'node'),
    view: oneOf(search, 'view', ['comparison', 'node', 'timeline', 'result', 'input'] as const),
  }),
  component: lazyRouteComponent(() => import('@/features/workflow-runs/workflow-run-page'), 'WorkflowRunPage'),
})

export const workflowRunRoutes = [list, one] as const
