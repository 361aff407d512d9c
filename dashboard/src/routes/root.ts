import { createRootRoute } from '@tanstack/react-router'
import { NotFound } from '@/app/not-found'
import { Shell } from '@/app/shell'
import { Failed } from '@/components/states'

export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Failed })
