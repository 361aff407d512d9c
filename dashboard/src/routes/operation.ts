import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'

const runners = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runners',
  component: lazyRouteComponent(() => import('@/features/runners/runners-page'), 'RunnersPage'),
})

const keys = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('@/features/keys/keys-page'), 'KeysPage'),
})

const settings = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('@/features/settings/settings-page'), 'SettingsPage'),
})

export const operationRoutes = [runners, keys, settings] as const
