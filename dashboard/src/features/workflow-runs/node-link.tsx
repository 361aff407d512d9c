import { Link } from '@tanstack/react-router'
import { plain } from '@/lib/inert'

/** A link to a node of a workflow run. */
export function NodeLink({ runId, node }: { runId: string; node: string }) {
  return (
    <Link
      to="/workflow-runs/$workflowRunId"
      params={{ workflowRunId: runId }}
      search={{ node }}
      className="font-medium text-accent hover:underline"
    >
      {plain(node)}
    </Link>
  )
}
