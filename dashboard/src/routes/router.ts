/** All pages. Each route is thin: its address, its search parameters, and the page to load when it is needed. */
import { createRouter } from '@tanstack/react-router'
import { agentRoutes } from './agents'
import { inputRoutes } from './inputs'
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
  ...inputRoutes,
  ...agentRoutes,
  ...schemaRoutes,
  ...workflowRoutes,
  ...workflowRunRoutes,
  ...operationRoutes,
])

export function makeRouter() {
  return createRouter({ routeTree, basepath: '/ui', defaultPreload: 'intent', scrollRestoration: true })
}

/** How long after the first page the others are loaded: it comes first. */
const LATER_MS = 300

/**
 * Loads the code of all pages once the first one is there. A click that finds the server away, or started anew with another
 * build, then needs no code from it: the router would load the whole document again, and the key goes with it.
 */
export function loadPagesLater(router: ReturnType<typeof makeRouter>): void {
  const done = router.subscribe('onRendered', () => {
    done()
    setTimeout(() => {
      for (const { options } of Object.values(router.routesById)) void options.component?.preload?.()
    }, LATER_MS)
  })
}
