/**
 * Query keys, all of them, in one factory. A key begins with its area, so that everything of an area can be looked up
 * again at once; see live.ts for who does that.
 */
type Filters = Record<string, string | number | undefined>

export const queryKeys = {
  agents: {
    all: ['agents'] as const,
    list: (filters: Filters = {}) => ['agents', 'list', filters] as const,
    one: (name: string) => ['agents', 'one', name] as const,
    contract: (name: string) => ['agents', 'contract', name] as const,
    check: (blueprint: string) => ['agents', 'check', blueprint] as const,
  },
  runs: {
    all: ['runs'] as const,
    list: (filters: Filters = {}) => ['runs', 'list', filters] as const,
    lists: ['runs', 'list'] as const,
    /** Further pages of a list: they stay as they are while its first page is looked up again. */
    pages: (filters: Filters = {}) => ['runs', 'pages', filters] as const,
    one: (id: string) => ['runs', 'one', id] as const,
    attempts: (id: string) => ['runs', 'attempts', id] as const,
    result: (id: string) => ['runs', 'result', id] as const,
    depth: ['runs', 'list', 'depth'] as const,
  },
  sessions: {
    all: ['sessions'] as const,
    list: (filters: Filters = {}) => ['sessions', 'list', filters] as const,
    lists: ['sessions', 'list'] as const,
    /** Further pages of a list: they stay as they are while its first page is looked up again. */
    pages: (filters: Filters = {}) => ['sessions', 'pages', filters] as const,
    one: (id: string) => ['sessions', 'one', id] as const,
    events: (id: string) => ['sessions', 'events', id] as const,
    children: (id: string) => ['sessions', 'children', id] as const,
    origin: (id: string) => ['sessions', 'origin', id] as const,
  },
  schemas: {
    all: ['schemas'] as const,
    list: () => ['schemas', 'list'] as const,
    one: (name: string) => ['schemas', 'one', name] as const,
    check: (schema: string) => ['schemas', 'check', schema] as const,
  },
  stats: {
    all: ['stats'] as const,
    of: (filters: Filters = {}) => ['stats', 'of', filters] as const,
  },
  inputs: {
    all: ['inputs'] as const,
    list: (filters: Filters = {}) => ['inputs', 'list', filters] as const,
    /** Further pages of a list: they stay as they are while its first page is looked up again. */
    pages: (filters: Filters = {}) => ['inputs', 'pages', filters] as const,
    one: (id: string) => ['inputs', 'one', id] as const,
    link: (token: string) => ['inputs', 'link', token] as const,
  },
  runners: { all: ['runners'] as const },
  endpoints: { all: ['endpoints'] as const },
  keys: { all: ['keys'] as const },
  server: { all: ['server'] as const },
  workflows: {
    all: ['workflows'] as const,
    list: () => ['workflows', 'list'] as const,
    one: (name: string) => ['workflows', 'one', name] as const,
    check: (document: string) => ['workflows', 'check', document] as const,
  },
  workflowRuns: {
    all: ['workflow-runs'] as const,
    list: (filters: Filters = {}) => ['workflow-runs', 'list', filters] as const,
    lists: ['workflow-runs', 'list'] as const,
    /** Further pages of a list: they stay as they are while its first page is looked up again. */
    pages: (filters: Filters = {}) => ['workflow-runs', 'pages', filters] as const,
    one: (id: string) => ['workflow-runs', 'one', id] as const,
  },
}
