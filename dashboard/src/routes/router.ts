/** All routes. Each has a path, search parameters and a lazily loaded page. */
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

/** The delay before the code of the other pages is loaded, so that the first page is not slowed down. */
const LATER_MS = 300

/**
 * Loads the code of all pages after the first one is shown. Otherwise a click while the server is down, or after it was
 * restarted with another build, fails to load the page's code and the router reloads the whole document.
 */
export function loadPagesLater(router: ReturnType<typeof makeRouter>): void {
  const done = router.subscribe('onRendered', () => {
    done()
    setTimeout(() => {
      for (const { options } of Object.values(router.routesById)) void options.component?.preload?.()
    }, LATER_MS)
  })
}
