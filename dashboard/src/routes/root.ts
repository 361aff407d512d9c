import { createRootRoute } from '@tanstack/react-router'
import { NotFound } from '@/app/not-found'
import { Root } from '@/app/root'
import { Failed } from '@/components/states'

export const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: Failed })
