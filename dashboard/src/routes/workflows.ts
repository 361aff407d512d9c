import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'
import { type RawSearch, indexOf, optional, textOf } from './search'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows',
  component: lazyRouteComponent(() => import('@/features/workflows/workflows-page'), 'WorkflowsPage'),
})

/** The state of the editor. */
const editorSearch = (search: RawSearch) =>
  optional({
    /** Whether it is shown as a graph or as YAML. */
    as: textOf(search, 'as'),
    /** The selected node, by its id. */
    node: textOf(search, 'node'),
    /** The selected edge, by its index in the list. */
    edge: search.edge === undefined ? undefined : indexOf(search, 'edge'),
    /** Whether the form for a run is open. */
    starting: search.starting === true ? true : undefined,
    /** The workflow run whose input fills the form. */
    run: textOf(search, 'run'),
  })

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows/new',
  validateSearch: editorSearch,
  component: lazyRouteComponent(() => import('@/features/workflows/workflow-page'), 'NewWorkflowPage'),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows/$name',
  validateSearch: editorSearch,
  component: lazyRouteComponent(() => import('@/features/workflows/workflow-page'), 'WorkflowPage'),
})

export const workflowRoutes = [list, create, one] as const
