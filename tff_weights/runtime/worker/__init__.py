"""TFF's `worker_binary` as the place where computations run, its life tied to this program's."""
