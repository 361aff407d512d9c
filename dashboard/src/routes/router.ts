/** All pages. Each route is thin: its address, its search parameters, and the page to load when it is needed. */
import { createRouter } from '@tanstack/react-router'
import { agentRoutes } from './agents'
import { newRunRoute } from './new-run'
import { overviewRoute } from './overview'
import { operationRoutes } from './operation'
import { rootRoute } from './root'
import { runRoutes } from './runs'
import { schemaRoutes } from './schemas'
import { sessionRoutes } from './sessions'
import { workflowRunRoutes } from './workflow-runs'
import { workflowRoutes } from './workflows'

const routeTree = rootRoute.addChildren([
  overviewRoute,
  ...sessionRoutes,
  newRunRoute,
  ...runRoutes,
  ...agentRoutes,
  ...schemaRoutes,
  ...workflowRoutes,
  ...workflowRunRoutes,
  ...operationRoutes,
])

export function makeRouter() {
  return createRouter({ routeTree, basepath: '/ui', defaultPreload: 'intent', scrollRestoration: true })
}
