/**
 * All query keys. A key starts with its area, so that a whole area can be invalidated at once; touched.ts decides which
 * events do that.
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
    /** Older pages of a list, which are not invalidated together with its first page. */
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
    /** Older pages of a list, which are not invalidated together with its first page. */
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
    /** Older pages of a list, which are not invalidated together with its first page. */
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
    /** Older pages of a list, which are not invalidated together with its first page. */
    pages: (filters: Filters = {}) => ['workflow-runs', 'pages', filters] as const,
    one: (id: string) => ['workflow-runs', 'one', id] as const,
  },
}
