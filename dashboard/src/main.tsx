import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { makeQueryClient } from './app/query-client'
import { applyTheme } from './lib/theme'
import { loadPagesLater, makeRouter } from './routes/router'
import './styles/index.css'

applyTheme()
// The server also serves the dashboard at /, but all its routes are under /ui.
if (window.location.pathname === '/') window.history.replaceState(null, '', import.meta.env.BASE_URL)

const router = makeRouter()
loadPagesLater(router)

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={makeQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
