"""One rank of a job that `anypair launch` has started: `python -m anypair.rank search.py ...`.

All ranks begin MPI before the program does, so that one that ends early is missed. An exception that
nobody catches, or an exit status, ends all of them: mpi4py's own way to run a program.
"""

from mpi4py import run

from anypair.backends.mpi.watch import join_job, show_and_end_for

if __name__ == "__main__":
    watch = join_job(timeout=0)
    try:
        run.main()
    except SystemExit as end:
        watch.aborts = end.code not in (None, 0)
        raise
    except BaseException as error:
        if watch.size == 1:  # nobody else is to be ended
            raise
        show_and_end_for(error)
