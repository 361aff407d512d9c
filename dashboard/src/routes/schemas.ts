import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schemas',
  component: lazyRouteComponent(() => import('@/features/schemas/schemas-page'), 'SchemasPage'),
})

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schemas/new',
  component: lazyRouteComponent(() => import('@/features/schemas/new-schema-page'), 'NewSchemaPage'),
})

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schemas/$name',
  component: lazyRouteComponent(() => import('@/features/schemas/schema-page'), 'SchemaPage'),
})

export const schemaRoutes = [list, create, one] as const
