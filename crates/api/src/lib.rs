//! What goes over the wire: bodies, error names, paging.
